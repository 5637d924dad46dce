/**
 * The text as a UPRN (unique property reference number): 1 to 12 digits, not all zero, without the zeros to which some
 * lists pad it. Null if it cannot be one.
 */
export function normaliseUprn(text: string): string | null {
  const digits = text.trim()
  return /^\d{1,12}$/.test(digits) && !/^0+$/.test(digits) ? digits.replace(/^0+/, '') : null
}
