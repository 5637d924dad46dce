/** Whether the text could be a UPRN (unique property reference number): 1 to 12 digits, not all zero. No spaces. */
export function isUprn(text: string): boolean {
  return /^\d{1,12}$/.test(text) && !/^0+$/.test(text)
}

/** One key for all spellings of a UPRN: some lists pad it to twelve digits with zeros. */
export function uprnKey(uprn: string): string {
  return uprn.replace(/^0+/, '')
}
