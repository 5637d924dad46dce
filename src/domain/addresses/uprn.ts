/** Whether the text could be a unique property reference number: 1 to 12 digits, not all zero. No spaces. */
export function isUprn(text: string): boolean {
  return /^\d{1,12}$/.test(text) && !/^0+$/.test(text)
}

/** The same for every way of writing one UPRN: some lists fill it up to twelve digits with zeros. */
export function uprnKey(uprn: string): string {
  return uprn.replace(/^0+/, '')
}
