const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** Reverses HTML escaping. */
function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
}

/** The URLs that a page links to. */
export function linksIn(page: string): string[] {
  return [...page.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href = '']) => unescapeHtml(href))
}

/** The ids of a page's elements. */
export function idsIn(page: string): string[] {
  return [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => unescapeHtml(id))
}

/** The heading levels of a page, in order. */
export function headingLevels(page: string): number[] {
  return [...page.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level))
}
