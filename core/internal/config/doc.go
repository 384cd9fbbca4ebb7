// Package config reads vak.toml: what surfaces are set to and which accounts they
// have, what targets are called, and what they want.
//
//	[surfaces.telegram]
//	max = 3500                           # a setting of its profile
//
//	[surfaces.telegram.account]          # its main account
//	token = "env:TELEGRAM_TOKEN"
//
//	[surfaces.telegram.accounts.work]    # another one
//	token = "file:/run/secrets/telegram"
//
//	[targets.ops]
//	to = "telegram:-1001234:work"
//	urgency = "ambient"
//
//	[policy]                             # what a target does not say
//	unknown = "park"
//
// An environment variable overrides a value: VAK_ and the path to it in capitals,
// with two underscores between its parts, as in VAK_POLICY__UNKNOWN.
//
// A secret is a reference, env:NAME or file:PATH, and is resolved when it is
// needed. The package knows no plugin: whether an account is what its surface
// wants is for core to check, which has the schemas.
package config
