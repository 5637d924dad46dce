const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** What a reader sees of a page, every element on its own, so that a word is found only where it stands alone. */
export function wordsOf(page: string): Set<string> {
  const shown = page.replace(/<style>.*?<\/style>/s, '').replaceAll('<wbr>', '')
  return new Set(shown.split(/<[^>]*>/).map((text) => unescaped(text).trim()))
}

/** Text as it was before it was escaped for HTML. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
}

/** The addresses a page links to. */
export function linksIn(page: string): string[] {
  return [...page.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href = '']) => unescaped(href))
}

/** The ids of a page's elements. */
export function idsIn(page: string): string[] {
  return [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => unescaped(id))
}

/** The levels of a page's headings, in their order. */
export function headingLevels(page: string): number[] {
  return [...page.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level))
}
