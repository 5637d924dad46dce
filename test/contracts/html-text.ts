const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The text a page's body shows, in order, as its markup gives it. Throws for an entity it does not know. */
export function htmlText(html: Buffer): string {
  const page = html.toString('utf8')
  const body = page.slice(page.indexOf('<body>') + '<body>'.length, page.indexOf('</body>'))
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/&([^;\s]+);/g, (_, name: string) => {
    const character = entities[name]
    if (character === undefined) throw new Error(`an entity the renderer does not write: ${name}`)
    return character
  })
}
