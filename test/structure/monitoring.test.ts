import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { alerts, dashboardQueries } from './monitoring-files.ts'
import { readSource } from './tree.ts'

test('every alert has its paragraph in docs/runbooks.md, which says what it means, what to look at and what to do', () => {
  const sections = readSource('docs/runbooks.md').text.split(/^### /m).slice(1)
  const written = new Map(
    sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      return [heading, lines.join('\n').split(/^## /m)[0] ?? '']
    }),
  )
  assert.deepEqual([...written.keys()].sort(), alerts.map(({ alert }) => alert).sort())
  for (const [heading, text] of written)
    for (const part of ['It means', 'Look at', 'Do']) assert.ok(text.includes(`**${part}** `), `${heading}: ${part}`)
  for (const { alert, annotations, labels } of alerts) {
    assert.equal(annotations.runbook_url, `docs/runbooks.md#${alert.toLowerCase()}`)
    assert.ok(annotations.summary !== '')
    assert.ok(labels.severity === 'page' || labels.severity === 'ticket', alert)
  }
})

test('every alert about PostgreSQL itself has its line in docs/postgresql.md', () => {
  const named = (path: string, pattern: RegExp) => [...readSource(path).text.matchAll(pattern)].map(([, name]) => name)
  const inRules = named('deploy/monitoring/postgres-alerts.yaml', /- alert: (\w+)/g)
  assert.deepEqual(named('docs/postgresql.md', /^\| `(Postgres\w+)` \|/gm), inRules)
  assert.ok(inRules.length >= 5)
})

test("Prometheus's own checker accepts the alert rules, their tests and the queries of the dashboard", async (t) => {
  if (!hasPromtool())
    return t.diagnostic('not checked: there is no promtool on the PATH (Debian: apt install prometheus)')
  for (const file of ['alerts.yaml', 'postgres-alerts.yaml'])
    promtool('check', 'rules', fileURLToPath(new URL(`../../deploy/monitoring/${file}`, import.meta.url)))
  promtool('test', 'rules', fileURLToPath(new URL('alerts.promtool.yaml', import.meta.url)))
  const rules = dashboardQueries.map((expr, index) => ({
    record: `dashboard:query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }))
  promtool('check', 'rules', writeTemporary(t, stringify({ groups: [{ name: 'dashboard', rules }] })))
})

function hasPromtool(): boolean {
  try {
    promtool('--version')
    return true
  } catch {
    return false
  }
}

/** Throws what the program printed if it finds a fault. */
function promtool(...parameters: readonly string[]): void {
  execFileSync('promtool', parameters, { stdio: 'pipe' })
}

function writeTemporary(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'housebill-rules-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'rules.yaml')
  writeFileSync(path, text)
  return path
}
