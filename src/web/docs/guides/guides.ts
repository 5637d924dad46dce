import { readFileSync } from 'node:fs'
import { type Html, html } from '../../../pages/html.ts'
import type { DocsPage } from '../docs-frame.ts'
import type { FindPage } from '../operation-links.ts'
import { guideHref, guideSummaries, renderGuide } from './render-guide.ts'

const folder = new URL('../../../../docs/', import.meta.url)

/** A guide for partners' developers, from `docs/`. */
export interface Guide {
  name: string
  href: string
  title: string
  summary: string
  markdown: string
}

/** Loads every guide. Throws if a file or its title is missing, so that startup fails rather than a later request. */
export function loadGuides(): Guide[] {
  return Object.entries(guideSummaries).map(([name, summary]) => {
    const markdown = readFileSync(new URL(`${name}.md`, folder), 'utf8')
    const [, title] = /^# (.+)$/m.exec(markdown) ?? []
    if (title === undefined) throw new Error(`docs/${name}.md has no title.`)
    return { name, href: guideHref(name), title, summary, markdown }
  })
}

/** Renders a guide, with a link to the one that a newcomer reads next. */
export function guideBody(guide: Guide, guides: readonly Guide[], findPage: FindPage): Html {
  const titles = new Map(guides.map(({ name, title }) => [`${name}.md`, title]))
  const next = guides[guides.indexOf(guide) + 1]
  return html`${renderGuide(guide.markdown, { findPage, titles })}${
    next && html`<p class="next">Next: <a href="${next.href}">${next.title}</a></p>`
  }`
}

/** The page that lists the guides. */
export function guidesPage(guides: readonly Guide[]): DocsPage {
  const list = guides.map(
    ({ href, title, summary }) => html`<dt><a href="${href}">${title}</a></dt><dd>${summary}</dd>`,
  )
  return { title: 'Guides', body: html`<h1>Guides</h1><dl class="operations">${list}</dl>` }
}
