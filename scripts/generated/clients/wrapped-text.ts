/** A text in lines of at most 112 characters, broken at spaces. */
export function wrappedText(text: string): string[] {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return (words.match(/.{1,112}(?:\s|$)/g) ?? [words]).map((line) => line.trimEnd())
}
