package card

func (Stack) Primitive() Primitive         { return PrimitiveStack }
func (Row) Primitive() Primitive           { return PrimitiveRow }
func (Section) Primitive() Primitive       { return PrimitiveSection }
func (Divider) Primitive() Primitive       { return PrimitiveDivider }
func (Title) Primitive() Primitive         { return PrimitiveTitle }
func (Text) Primitive() Primitive          { return PrimitiveText }
func (Badge) Primitive() Primitive         { return PrimitiveBadge }
func (Callout) Primitive() Primitive       { return PrimitiveCallout }
func (Quote) Primitive() Primitive         { return PrimitiveQuote }
func (List) Primitive() Primitive          { return PrimitiveList }
func (Checklist) Primitive() Primitive     { return PrimitiveChecklist }
func (Timeline) Primitive() Primitive      { return PrimitiveTimeline }
func (Steps) Primitive() Primitive         { return PrimitiveSteps }
func (KeyValue) Primitive() Primitive      { return PrimitiveKeyValue }
func (Table) Primitive() Primitive         { return PrimitiveTable }
func (Comparison) Primitive() Primitive    { return PrimitiveComparison }
func (Metric) Primitive() Primitive        { return PrimitiveMetric }
func (MetricGrid) Primitive() Primitive    { return PrimitiveMetricGrid }
func (Progress) Primitive() Primitive      { return PrimitiveProgress }
func (Chart) Primitive() Primitive         { return PrimitiveChart }
func (Image) Primitive() Primitive         { return PrimitiveImage }
func (Audio) Primitive() Primitive         { return PrimitiveAudio }
func (Video) Primitive() Primitive         { return PrimitiveVideo }
func (File) Primitive() Primitive          { return PrimitiveFile }
func (LinkPreview) Primitive() Primitive   { return PrimitiveLinkPreview }
func (Media) Primitive() Primitive         { return PrimitiveMedia }
func (Diff) Primitive() Primitive          { return PrimitiveDiff }
func (TestMatrix) Primitive() Primitive    { return PrimitiveTestMatrix }
func (Terminal) Primitive() Primitive      { return PrimitiveTerminal }
func (Citations) Primitive() Primitive     { return PrimitiveCitations }
func (Empty) Primitive() Primitive         { return PrimitiveEmpty }
func (Error) Primitive() Primitive         { return PrimitiveError }
func (Recipe) Primitive() Primitive        { return PrimitiveRecipe }
func (Research) Primitive() Primitive      { return PrimitiveResearch }
func (UIPreview) Primitive() Primitive     { return PrimitiveUIPreview }
func (UniversalCard) Primitive() Primitive { return PrimitiveUniversalCard }

func (Stack) sealed()         {}
func (Row) sealed()           {}
func (Section) sealed()       {}
func (Divider) sealed()       {}
func (Title) sealed()         {}
func (Text) sealed()          {}
func (Badge) sealed()         {}
func (Callout) sealed()       {}
func (Quote) sealed()         {}
func (List) sealed()          {}
func (Checklist) sealed()     {}
func (Timeline) sealed()      {}
func (Steps) sealed()         {}
func (KeyValue) sealed()      {}
func (Table) sealed()         {}
func (Comparison) sealed()    {}
func (Metric) sealed()        {}
func (MetricGrid) sealed()    {}
func (Progress) sealed()      {}
func (Chart) sealed()         {}
func (Image) sealed()         {}
func (Audio) sealed()         {}
func (Video) sealed()         {}
func (File) sealed()          {}
func (LinkPreview) sealed()   {}
func (Media) sealed()         {}
func (Diff) sealed()          {}
func (TestMatrix) sealed()    {}
func (Terminal) sealed()      {}
func (Citations) sealed()     {}
func (Empty) sealed()         {}
func (Error) sealed()         {}
func (Recipe) sealed()        {}
func (Research) sealed()      {}
func (UIPreview) sealed()     {}
func (UniversalCard) sealed() {}
