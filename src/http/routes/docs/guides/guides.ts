import { readFileSync } from 'node:fs'
import type { Page } from '../../../pages/send-page.ts'
import type { FindPage } from '../reference/prose.ts'
import { guideHref, guideSummaries } from './guide-links.ts'
import { renderGuide } from './render-guide.ts'

const folder = new URL('../../../../../docs/', import.meta.url)

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

/** The page of a guide. */
export function guidePage({ title, markdown }: Guide, guides: readonly Guide[], findPage: FindPage): Page {
  const titles = new Map(guides.map((guide) => [`${guide.name}.md`, guide.title]))
  const trail = [
    { href: '/docs', text: 'API reference' },
    { href: '/docs#guides', text: 'Guides' },
  ]
  return { title, trail, body: renderGuide(markdown, { findPage, titles }) }
}
