// Package core is vak as a library: one answer in, what every surface shows of
// it out.
//
// [Open] holds a home and finds the surface plugins, [Core.Render] compiles a
// [Draft] once and renders it for each target, and [Core.Close] ends the plugin
// processes. A program that only renders sets [Config.ReadOnly] and holds
// nothing.
//
// One path serves every caller: compile, lower to what the renderer knows,
// render in the surface's own process, measure, read back, compare. What a
// renderer says about sizes is ignored, and a rendering that loses anything is
// never handed on: core renders that answer itself, plain, and says why. So
// Render fails for a caller's mistake or a cancelled context, never because a
// renderer is missing, slow or wrong.
//
// A [Session] keeps the ledger of a conversation. [Turn.Complete] ends a turn with
// its answer: the answer's record and a job for every target are on disk together
// when it returns, and nothing is rendered before. From then on the job arrives,
// or becomes a dead letter that says why, whatever happens to the process; parts
// that have a receipt are never sent again, and whatever else is sent twice says
// so. [Core.Jobs] and [Core.Act] are for whoever looks after that.
//
// What is configured, installed or revoked while the process runs is taken over by
// itself, and makes a new [Epoch]. A [Turn] goes by the one in which it began, to its
// end: [Turn.Render] and all that it delivers use the plugins, profiles and templates of
// that moment, so that an agent meets a change between two turns and never within one.
//
// A Core is safe for concurrent use. Diagnostics, errors and logs never hold
// text of a message.
package core
