import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgram } from '../program.ts'
import { commandsByPath, examples } from './examples.ts'

const commands = commandsByPath(createProgram())

test('every command has examples, and every row of examples has a command', () => {
  assert.ok(commands.size > 20, 'the commands were found')
  assert.deepEqual(Object.keys(examples).sort(), [...commands.keys()].sort())
  for (const [path, lines] of Object.entries(examples)) assert.ok(lines.length > 0, path)
})

test('help ends with the examples', () => {
  const written: string[] = []
  const command = commands.get('partner create')
  command?.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp()
  assert.match(
    written.join(''),
    /\n\nExamples:\n {2}npx housebill partner create --name "Acme Lettings"\n {2}npx housebill partner create .*\n$/,
  )
})
