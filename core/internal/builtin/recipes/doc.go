// Package recipes is which recipes the skill "core" has and what tells that one of
// them suits: two tables. Plans are made of them by package plan.
package recipes
