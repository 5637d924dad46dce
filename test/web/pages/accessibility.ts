import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds on a page to be a fault for people with disabilities: the impact, the rule and the place of each. With
 * `rules`, only what these rules find.
 */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  return page.evaluate(async (only) => {
    type Found = { violations: { id: string; impact: string; nodes: { html: string }[] }[] }
    const { axe: library } = globalThis as unknown as { axe: { run(options: object): Promise<Found> } }
    const { violations } = await library.run(only === undefined ? {} : { runOnly: only })
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map((node) => `${impact}: ${id}: ${node.html.slice(0, 160)}`),
    )
  }, rules)
}
