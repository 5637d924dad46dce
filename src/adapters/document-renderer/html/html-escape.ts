const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as HTML, safe within an element and within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Text as a CSS string literal within a style element. */
export function cssString(text: string): string {
  const escaped = text.replaceAll(
    /[^\p{L}\p{N} ,.:_-]/gu,
    (character) => `\\${character.codePointAt(0)?.toString(16)} `,
  )
  return `"${escaped}"`
}
