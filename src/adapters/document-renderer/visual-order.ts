const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Whether a word holds letters of a script that runs from right to left. */
export function runsRightToLeft(word: string): boolean {
  return rightToLeft.test(word)
}

/**
 * The words of a line as they stand from left to right: neighbours that run from right to left stand in reverse among
 * themselves. Within a word the font's own shaping does it.
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
