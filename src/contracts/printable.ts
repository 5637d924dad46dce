/**
 * Turns external text, such as a name or an address line, into a single line that prints the same everywhere. Composes
 * characters (Unicode NFC), reduces white space to single spaces, and removes invisible characters that could reorder
 * or hide text, such as bidirectional overrides. Keeps joiners, which Persian and Indic names need. Removes variation
 * selectors, which fonts for documents do not know: the character before one prints in its usual form.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{White_Space}\p{Cc}]+/gu, ' ')
    .replaceAll(/(?![\u200c\u200d])[\p{Cf}\p{Variation_Selector}]/gu, '')
    .trim()
}

/** Splits an operator's text into paragraphs at line breaks. */
export function printableParagraphs(text: string): string[] {
  return text
    .split(/\n+/)
    .map(printable)
    .filter((line) => line !== '')
}
