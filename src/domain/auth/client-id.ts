/** Visible ASCII and spaces (RFC 6749 appendix A.1). Nothing else is anybody's, and some of it PostgreSQL cannot hold. */
export function isSpeltAsClientId(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text)
}
