import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../../support/embedded-postgres-fixture.ts'
import { loopbackOnlyEnvironment } from '../../support/loopback-only.ts'
import type { ServiceUnderTest } from '../../support/service.ts'

/** Commands of a guide, as a reader pastes them, and what the guide says that they print. */
export interface GuideStep {
  commands: string
  printed: string | undefined
}

/** Reads the text of a guide. */
export function readGuide(name: string): Promise<string> {
  return readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
}

/** The steps of a guide in their order: each block of a language, with the `text` block after it if there is one. */
export function stepsOf(guide: string, language: 'sh' | 'ts' | 'python' = 'sh'): GuideStep[] {
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, code = '']) => ({ kind, code }))
  return blocks.flatMap(({ kind, code }, index) => {
    // The same in other languages stands before what all of them print.
    const next = blocks.slice(index + 1).find((each) => each.kind !== 'ts' && each.kind !== 'python')
    return kind === language ? [{ commands: code, printed: next?.kind === 'text' ? next.code : undefined }] : []
  })
}

/** A bash that a reader has open while reading a guide: variables and functions stay from one step to the next. */
export interface GuideShell {
  /** The folder in which the commands run. */
  folder: string
  /**
   * Runs the commands of a step and returns what they printed. Fails if that differs, but for ids and digits, from what
   * the guide says.
   */
  follow(step: GuideStep): Promise<string>
}

/** Opens a shell. It is closed after the test. */
export async function openShell(t: TestContext): Promise<GuideShell> {
  const folder = await temporaryFolder(t)
  const shell = spawn('bash', ['--noprofile', '--norc', '-u'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...loopbackOnlyEnvironment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  t.after(async () => {
    shell.kill('SIGKILL')
    if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'close')
  })
  // Readers may have neither.
  shell.stdin.write('for each in jq uuidgen; do eval "$each() { echo $each is not installed >&2; }"; done\n')
  let complaints = ''
  shell.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk
  })
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]()
  return {
    folder,
    async follow({ commands, printed }) {
      shell.stdin.write(`${commands}\necho end of step\n`)
      const output: string[] = []
      for (;;) {
        const { value, done } = await lines.next()
        assert.ok(!done, `the shell ended: ${complaints}`)
        if (value === 'end of step') break
        output.push(value)
      }
      const text = output.join('\n').trim()
      assert.equal(complaints, '', commands)
      assert.doesNotMatch(text, /\bundefined\b/, commands)
      if (printed !== undefined) assert.equal(masked(text), masked(printed), commands)
      return text
    },
  }
}

/** Opens a shell in which the reader has followed the quickstart up to an address, at this service. */
export async function openShellAfterQuickstart(t: TestContext, service: ServiceUnderTest): Promise<GuideShell> {
  const shell = await openShell(t)
  const steps = stepsOf(atService(await readGuide('quickstart'), service))
  for (const step of steps.slice(1, 4)) await shell.follow(step)
  return shell
}

/** A guide for a reader of this service: its address and credentials instead of those of the examples. */
export function atService(guide: string, { baseUrl, credentials }: Pick<ServiceUnderTest, 'baseUrl' | 'credentials'>) {
  return guide
    .replaceAll('http://localhost:8080', baseUrl)
    .replaceAll('sb_example', credentials.clientId)
    .replaceAll('example-secret', credentials.clientSecret)
}

/** What stays the same from run to run: ids keep their kind, and numbers and dates are just digits. */
export function masked(text: string): string {
  return text
    .trim()
    .replaceAll(/\b([a-z]+_)[0-9a-z]{26}\b/g, '$1id')
    .replaceAll(/\d+/g, '0')
}
