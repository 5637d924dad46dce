const maxLength = 512
const maxMembers = 32
/** W3C Trace Context §3.3.1.3: what a vendor may call itself, and what it may say. The multi-tenant form is one of these too. */
const member = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/**
 * Whether a `tracestate` can be passed on: at most 512 characters and 32 members, each well-formed and none twice. Empty
 * members are allowed and count for nothing; a list of nothing else is no state.
 */
export function isValidTracestate(value: string): boolean {
  if (value.length > maxLength) return false
  const members = value
    .split(',')
    .map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((each) => each !== '')
  if (members.length === 0 || members.length > maxMembers) return false
  if (!members.every((each) => member.test(each))) return false
  return new Set(members.map((each) => each.slice(0, each.indexOf('=')))).size === members.length
}
