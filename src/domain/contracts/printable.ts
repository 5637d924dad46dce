/**
 * A text from outside (a name, an address line) as one line that prints the same everywhere: composed characters, one
 * space for any white space, and nothing invisible that could reorder or hide what follows, such as bidirectional
 * overrides. Joiners stay: Persian and Indic names are spelt with them.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{White_Space}\p{Cc}]+/gu, ' ')
    .replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .trim()
}

/** An operator's text as the paragraphs its line breaks make. */
export function printableParagraphs(text: string): string[] {
  return text
    .split(/\n+/)
    .map(printable)
    .filter((line) => line !== '')
}
