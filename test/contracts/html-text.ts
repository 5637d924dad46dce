const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/**
 * The text of a page's body, in order, without its skip link. Throws for an entity that the renderer does not write.
 */
export function htmlText(html: Buffer): string {
  const page = html.toString('utf8')
  const body = page.slice(page.indexOf('<body>') + '<body>'.length, page.indexOf('</body>'))
  const content = body.replace(/<a class="skip".*?<\/a>/, '')
  return content.replaceAll(/<[^>]*>/g, ' ').replaceAll(/&([^;\s]+);/g, (_, name: string) => {
    const character = entities[name]
    if (character === undefined) throw new Error(`unexpected HTML entity: ${name}`)
    return character
  })
}
