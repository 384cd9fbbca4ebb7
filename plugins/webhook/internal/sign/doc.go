// Package sign signs webhooks as the Standard Webhooks specification says, with
// symmetric keys: HMAC-SHA256 over the id, the time and the body.
package sign
