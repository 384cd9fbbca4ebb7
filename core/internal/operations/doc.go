// Package operations holds what operators have reported of systems like this one,
// each as a test on the real path: through core.Open, with a plugin that is a
// process of its own. There is no code in it but that of the tests.
//
// Not all of it is here. What takes hours, or must break off at an exact moment, is
// tried where time and disk are a test's own:
//
//	CHK-13                 core/internal/acceptance: TestTinyLimits; core: TestSettings
//	CLK-01 CLK-02          core/internal/outbox: TestClockSetForward TestClockSetBack
//	DSK-01 SEC-04          core/internal/crash: TestTornTail TestMalformedLines
//	DSK-02 DSK-08          core/internal/crash: TestShortWrites; core/internal/journal: TestShortWrites
//	MUL-02                 core/internal/crash: TestTwoHosts
//	PLG-07                 core/internal/host: TestStubbornFamily; within a sandbox there is no family
//	PLG-13, wrong answers  core/internal/host: TestHostileReplies
//	PRM-03, redirects      sdk/send: TestAnswers
//	QUE-02                 core/internal/crash: TestKill TestFailedSync; core/internal/outbox: TestOldUnknown
//	QUE-04                 core/internal/outbox: TestHistories; core/internal/journal: TestOtherLines
//	RTY-07                 core/internal/outbox: TestNoticeHasItsOwnKey
//
// MUL-04, two installations with one token, has nothing to try yet: vak receives
// nothing, so that they cannot take each other's messages.
package operations
