const maxLength = 512
const maxMembers = 32
/** W3C Trace Context §3.3.1.3: the format of a vendor's key and value, including the multi-tenant form. */
const member = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/**
 * Whether a `tracestate` is valid: at most 512 characters and 32 distinct, well-formed members. Empty members are
 * allowed and ignored, but a list of only empty members is invalid.
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
