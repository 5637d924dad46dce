import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { shells } from '../../src/cli/completion/shells.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { assertSucceeded, housebill, runProgram } from './cli-fixture.ts'

/** What bash offers when the user presses Tab after these words. */
const cases: readonly (readonly [typed: readonly string[], expected: readonly string[]])[] = [
  [['part'], ['partner']],
  [
    ['keys', ''],
    ['status', 'rotate', 'replace', '--help'],
  ],
  [['keys', 'replace', 'h'], ['hashes']],
  [['keys', 'replace', '--c'], ['--compromised']],
  [['operator', 'webhook', 'ro'], ['rotate']],
  [['report', 'funnel', '--partner', 'partner_1', '--fo'], ['--format']],
  [
    ['report', 'funnel', '--format', ''],
    ['table', 'csv', 'ndjson', 'json'],
  ],
  [['trigger', 'quote.p'], ['quote.prices.updated']],
  [['--ver'], ['--version']],
  // The shell then completes names of files.
  [['contracts', 'export', '--out', 'con'], []],
  [['rates', 'check', 'my-'], []],
]

test('bash completes commands, options and their values', async (t) => {
  const script = await housebill(['completion', 'bash'])
  assertSucceeded(script)
  const file = join(await temporaryFolder(t), 'housebill')
  await writeFile(file, script.stdout)
  for (const [typed, expected] of cases) {
    const program = `set -u; source "$1"; shift; COMP_WORDS=(housebill "$@"); COMP_CWORD=$#
      _housebill housebill "\${COMP_WORDS[COMP_CWORD]}"; for word in "\${COMPREPLY[@]}"; do echo "$word"; done`
    const run = await runProgram('bash', ['-c', program, 'bash', file, ...typed], {})
    assertSucceeded(run)
    assert.deepEqual(
      run.stdout.split('\n').filter((word) => word !== ''),
      expected,
      typed.join(' '),
    )
  }
  const registered = await runProgram('bash', ['-c', 'source "$1"; complete -p housebill', 'bash', file], {})
  assert.equal(registered.stdout, 'complete -o default -F _housebill housebill\n')
})

for (const shell of shells) {
  test(`the script for ${shell} names every command, and the shell accepts it if it is installed`, async (t) => {
    const script = await housebill(['completion', shell])
    assertSucceeded(script)
    const asJson = await housebill(['completion', shell, '--json'])
    assert.deepEqual(asJson.json(), { shell, script: script.stdout.replace(/\n$/, '') })
    assert.match(script.stdout, /'housebill keys replace --compromised'|'housebill keys replace'/)
    const file = join(await temporaryFolder(t), 'housebill')
    await writeFile(file, script.stdout)
    const check = await runProgram(
      'bash',
      ['-c', 'if command -v "$1" >/dev/null; then "$1" -n "$2"; fi', 'bash', shell, file],
      {},
    )
    assertSucceeded(check)
  })
}
