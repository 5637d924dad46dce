import type { VariableReader } from './parse.ts'

/** What `SECURITY_CONTACT` may hold: no spaces or line ends, which would add fields to the published file. */
const contact = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/

/** Where to report vulnerabilities, the preferred way first (RFC 9116 §2.5.3). */
export function readSecurityContacts(read: VariableReader): readonly string[] {
  const entries = read.list('SECURITY_CONTACT')
  if (!entries.every((entry) => contact.test(entry))) {
    read.problems.push(
      'SECURITY_CONTACT must be mailto: or https: addresses separated by commas, such as mailto:security@example.com',
    )
  }
  return entries
}
