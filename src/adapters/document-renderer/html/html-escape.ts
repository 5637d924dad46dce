const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Quotes text as a CSS string for a style element. */
export function quoteCssString(text: string): string {
  const escaped = text.replaceAll(
    /[^\p{L}\p{N} ,.:_-]/gu,
    (character) => `\\${character.codePointAt(0)?.toString(16)} `,
  )
  return `"${escaped}"`
}
