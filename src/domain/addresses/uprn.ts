/** Whether the text could be a UPRN (unique property reference number): 1 to 12 digits, not all zero. No spaces. */
export function isUprn(text: string): boolean {
  return /^\d{1,12}$/.test(text) && !/^0+$/.test(text)
}

/** The canonical form of a UPRN, used as a key. Some lists pad UPRNs to twelve digits with zeros. */
export function uprnKey(uprn: string): string {
  return uprn.replace(/^0+/, '')
}
