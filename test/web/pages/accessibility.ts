import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page to be a fault for people with disabilities: the impact, the rule and the place of each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: library } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await library.run()
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map((node) => `${impact}: ${id}: ${node.html.slice(0, 160)}`),
    )
  })
}
