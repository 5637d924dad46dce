import type { FieldCipher } from './field-encryption.ts'

/**
 * Whether the text looks like an email address: something before one @ and a dotted domain after it. Deliberately
 * lenient, because no pattern can tell whether mail arrives. At most 254 characters (RFC 5321). Invisible characters
 * (Unicode's category Cf, and what it calls default ignorable) are not allowed: with one, an address would look like
 * another person's.
 */
export function isPlausibleEmail(text: string): boolean {
  if (text.length > 254 || /\p{Default_Ignorable_Code_Point}/u.test(text)) return false
  return /^[^\s@"(),:;<>[\\\]\p{Cc}\p{Cf}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u.test(
    text,
  )
}

/**
 * Whether the address ends in `.example` or `.test`, which are reserved so that nobody ever has such an address (RFC
 * 2606).
 */
export function isTestAddress(email: string): boolean {
  return /\.(example|test)$/i.test(email)
}

/** Where most people have their mailboxes, and names that differ from these by a letter and exist as well. */
const usualDomains =
  `gmail.com googlemail.com hotmail.com hotmail.co.uk outlook.com live.co.uk live.com msn.com yahoo.com
  yahoo.co.uk icloud.com aol.com btinternet.com sky.com virginmedia.com talktalk.net me.com mac.com mail.com ymail.com
  email.com gmx.com gmx.co.uk proton.me`.split(/\s+/)

/** Whether anybody can have a mailbox at the domain of the address, or a university gave it to its students. */
export function isSharedMailbox(email: string): boolean {
  const domain = domainOf(email)
  return usualDomains.includes(domain) || otherMailboxes.includes(domain) || domain.endsWith('.ac.uk')
}

/** The domain of an address, in small letters. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** Where people have mailboxes besides. */
const otherMailboxes =
  'hotmail.fr live.ie mail.ru outlook.fr outlook.ie pm.me protonmail.com qq.com rocketmail.com yahoo.fr yahoo.in 163.com'.split(
    ' ',
  )

/**
 * Whether the domain looks like a misspelt one: it ends as no domain does (`.con`), or differs by a letter or two that
 * are swapped from where most people have their mailboxes (`gmial.com`).
 */
export function hasUnusualDomain(email: string): boolean {
  const domain = domainOf(email)
  if (/\.(con|cmo|ocm|vom|xom|comm|coom|co\.ik|co\.ul|couk)$/.test(domain)) return true
  return !usualDomains.includes(domain) && usualDomains.some((usual) => usual.length > 6 && isMisspelt(domain, usual))
}

/** Whether one of the texts becomes the other if a letter is added, removed or replaced, or two neighbours swapped. */
function isMisspelt(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const [a, b] = [one.slice(start), other.slice(start)]
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}

/** Converts an email address to the form in which addresses are compared. */
export function comparableEmail(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The keyed hash by which customers with the same email address are found. */
export function emailHash(cipher: FieldCipher, email: string): string {
  return cipher.hash(comparableEmail(email))
}

/** Every hash under which the email address may be stored: during a replacement of the key, there are two. */
export function emailHashes(cipher: FieldCipher, email: string): string[] {
  return cipher.hashes(comparableEmail(email))
}
