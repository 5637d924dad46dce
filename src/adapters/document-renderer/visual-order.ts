const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Whether a word has letters of a right-to-left script. */
export function isRightToLeft(word: string): boolean {
  return rightToLeft.test(word)
}

/**
 * The words of a line in visual order, left to right: runs of right-to-left words are reversed. The font's shaping orders the
 * letters within a word.
 */
export function inVisualOrder(words: readonly string[], isReversed: (word: string) => boolean): string[] {
  const ordered: string[] = []
  let reversed: string[] = []
  for (const word of words) {
    if (isReversed(word)) {
      reversed.unshift(word)
    } else {
      ordered.push(...reversed, word)
      reversed = []
    }
  }
  return [...ordered, ...reversed]
}
