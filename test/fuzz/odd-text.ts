import fc from 'fast-check'
import type { JsonSchema } from './document.ts'

/** Text that a partner could send and that often breaks programs. */
const oddities = [
  'Zoë Müller-Lüdenscheidt',
  "O'Brien; drop table quotes;--",
  '<script>alert(1)</script>',
  '{{7*7}}%s%n#{7*7}',
  '\u202eright to left\u202c',
  'مرحبا بالعالم',
  'שלום',
  '李小龍',
  '👩‍👩‍👧‍👦🏠',
  'e\u0301\u0323\u0302',
  '\ufeffmark',
  'two\u2028lines',
  '\u00a0wide\u3000space',
  'a\tb',
  'NUL \u0000 inside',
  'half \ud800 pair',
  '\\"quoted\\"',
  '__proto__',
  'null',
  '0',
  '../../etc/passwd',
  'ß → SS, İ → i̇',
]

const dates = [
  '2026-12-01',
  '2026-12-15',
  '2027-01-15',
  '2027-02-28',
  '2027-06-30',
  '2027-11-30',
  '2028-02-29',
  '2028-02-28',
  '2027-02-29',
  '2000-02-29',
  '2008-12-01',
  '2008-12-02',
  '2004-02-29',
  '1990-12-10',
  '1900-01-01',
  '1900-02-29',
  '2199-12-31',
  '2200-01-01',
  '1899-12-31',
  '2027-13-01',
  '2027-04-31',
  '0000-00-00',
  '2027-1-5',
  '20270115',
  '2027-W03-5',
  '2027-01-15T00:00:00Z',
]

const instants = [
  '2026-11-20T09:00:00Z',
  '2026-12-01T09:00:00.000Z',
  '2026-12-01T09:00:00.123456789Z',
  '2026-12-01t09:00:00z',
  '2026-12-01 09:00:00Z',
  '2026-12-01T09:00:00+23:59',
  '2026-12-01T09:00:00-00:00',
  '2026-06-30T23:59:60Z',
  '1990-12-31T15:59:60-08:00',
  '2026-02-29T00:00:00Z',
  '2028-02-29T24:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:59',
  '2026-12-01T09:00:00',
]

const emails = [
  'Robin@Example.com',
  'robin+tag@example.co.uk',
  "o'brien@example.com",
  'ünï@bücher.example',
  '用户@例子.公司',
  `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`,
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(120)}com`,
  'a@b',
  'a b@example.com',
  'a@example.com\r\nBcc: b@example.com',
]

const phones = [
  '07700 900123',
  '+447700900123',
  '+44 (0)20 7946 0958',
  '(01632) 960-001',
  '+1 202 555 0123 ext. 5',
  '٠٧٧٠٠٩٠٠١٢٣',
  '+٤٤٧٧٠٠٩٠٠١٢٣',
  'tel:+44-7700-900123',
  '999',
  '+999999999999999',
  '0'.repeat(41),
  '+44',
]

const addresses = ['203.0.113.9', '::1', '2001:db8::1', '::ffff:203.0.113.9', 'fe80::1%eth0', '999.1.1.1', '1.2.3', '']

const byFormat: Readonly<Record<string, readonly string[]>> = {
  date: dates,
  'date-time': instants,
  'idn-email': emails,
  phone: phones,
  ip: addresses,
}

/**
 * Text in the schema's format, or often text that only resembles it. If the schema has no format, text of a length that
 * it allows.
 */
export function textFor({ format = '', minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  const known = byFormat[format]
  if (known !== undefined) return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, anyText(0, 40))
  return anyText(minLength, maxLength)
}

/** Generates text of `least` to `most` characters, as JSON Schema counts them. */
function anyText(least: number, most: number): fc.Arbitrary<string> {
  const fitting = oddities.filter((text) => [...text].length >= least && [...text].length <= most)
  const atMost = Math.max(least, Math.min(most, 60))
  return fc.oneof(
    ...(fitting.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...fitting) }]),
    { weight: 3, arbitrary: fc.string({ minLength: least, maxLength: atMost, unit: 'grapheme' }).map(within(most)) },
    { weight: 1, arbitrary: fc.string({ minLength: least, maxLength: atMost, unit: 'binary' }) },
    { weight: 2, arbitrary: fc.constantFrom('a', ' ', '😀', '\u0000', 'ß').map((unit) => unit.repeat(least)) },
    { weight: 2, arbitrary: fc.constantFrom('a', '😀', '汉', '\u202e').map((unit) => unit.repeat(most)) },
  )
}

/**
 * Cuts text to a number of code points, which are what JSON Schema counts. A visible character can consist of several
 * code points.
 */
function within(most: number): (text: string) => string {
  return (text) => [...text].slice(0, most).join('')
}
