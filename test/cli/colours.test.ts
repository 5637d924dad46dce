import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/campaign-size.ts'
import { launch } from './cli-fixture.ts'
import { openTerminal } from './serving-process.ts'

/** What begins and ends every colour. */
const colourCode = '\u001b['

const inTerminal = async (t: Parameters<typeof openTerminal>[0], command: string, environment = {}) => {
  const terminal = openTerminal(t, `${process.execPath} bin/housebill.js ${command}`, { TERM: 'xterm', ...environment })
  await terminal.ended
  return terminal.printed(/./)
}

test('help and errors have colours on a terminal, unless NO_COLOR is set', async (t) => {
  const help = await inTerminal(t, 'rates check --help')
  assert.ok(help.includes(`${colourCode}1mUsage:${colourCode}22m`), help)
  assert.ok(help.includes(`${colourCode}1mExamples:${colourCode}22m`), help)
  const wrong = await inTerminal(t, 'rates check')
  assert.ok(wrong.includes(`${colourCode}31merror: missing required argument 'file'`), wrong)
  const failed = await inTerminal(t, 'rates check missing.json')
  assert.ok(failed.includes(`${colourCode}31mmissing.json cannot be used:`), failed)
  for (const command of isFullSize
    ? ['rates check --help', 'rates check', 'rates check missing.json']
    : ['rates check']) {
    const plain = await inTerminal(t, command, { NO_COLOR: '1' })
    assert.ok(!plain.includes(colourCode), plain)
  }
})

test('nothing has colours outside a terminal', async () => {
  for (const args of isFullSize ? [['--help'], ['rates', 'check'], ['rates', 'check', 'missing.json']] : [['--help']]) {
    const { stdout, stderr } = await launch(args)
    assert.ok(!(stdout + stderr).includes(colourCode), stdout + stderr)
  }
})
