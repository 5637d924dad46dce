import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { aboutMachine, load, runBounded, type Steps } from '../bench/bounded-run.ts'
import { stopProcess } from '../bench/child-service.ts'
import { markdownTable } from '../bench/markdown-table.ts'
import '../test/support/loopback-only.ts'

/** One run of a drill. */
export interface Drill extends Steps {
  /** An empty folder that every user can pass through. It goes when the drill ends. */
  folder: string
}

/** One thing that a drill checks: what was wanted, and what was found. */
interface Finding {
  what: string
  found: string
  wanted: string
  isMet: boolean
}

export interface DrillReport {
  /** What was done, in Markdown. */
  text: string
  findings: readonly Finding[]
}

interface DrillPlan {
  /** Its heading in contributing/drills.md. */
  title: string
  command: string
  maxMinutes: number
  /** The programs that it needs, each with its Debian package. */
  programs?: Readonly<Record<string, string>>
}

/** Programs of the system are also looked for where only root's PATH leads. */
const path = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)

/**
 * Runs a drill and prints its report. Ends the process: with 1 if something was not as wanted, with 2 if a program is missing.
 */
export async function runDrill(plan: DrillPlan, work: (drill: Drill) => Promise<DrillReport>): Promise<never> {
  const missing = Object.entries(plan.programs ?? {}).filter(([program]) => !isInstalled(program))
  if (missing.length > 0) {
    const [programs, packages] = [0, 1].map((index) => missing.map((each) => each[index]).join(' '))
    console.error(`This drill needs ${programs}. On Debian: apt-get install -y ${packages}`)
    process.exit(2)
  }
  const before = load()
  const { text, findings } = await runBounded(plan.title, plan.maxMinutes, async (steps) => {
    const folder = await mkdtemp(join(tmpdir(), 'housebill-drill-'))
    steps.atEnd(() => rm(folder, { recursive: true, force: true }))
    await chmod(folder, 0o711)
    return work({ ...steps, folder })
  })
  const day = Temporal.Now.plainDateISO().toLocaleString('en-GB', { dateStyle: 'long' })
  const report = [
    `## ${plan.title}`,
    `\`${plan.command}\` on ${day}: ${aboutMachine()} The load average was ${before} before and ${load()} after the drill.`,
    text,
    markdownTable(
      ['Checked', 'Found', 'Wanted', ''],
      findings.map(({ what, found, wanted, isMet }) => [what, found, wanted, isMet ? 'met' : 'missed']),
    ),
  ].join('\n\n')
  console.log(report)
  process.exit(findings.every(({ isMet }) => isMet) ? process.exitCode : 1)
}

function isInstalled(program: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { env: { PATH: path } }).status === 0
}

/**
 * Starts a program of the system, as `user` if given, and waits until it listens on the port. What it prints goes to a
 * file in the drill's folder, which is shown if the program does not start.
 */
export async function startProgram(
  drill: Drill,
  program: string,
  parameters: readonly string[],
  { port, user = {} }: { port: number; user?: { uid?: number; gid?: number } },
): Promise<void> {
  const log = join(drill.folder, `${program}.log`)
  const output = openSync(log, 'a')
  const child = spawn(program, parameters, { stdio: ['ignore', output, output], env: { PATH: path }, ...user })
  closeSync(output)
  drill.atEnd(() => stopProcess(child))
  const deadline = performance.now() + 30_000
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    if (await isListening(port)) return
    await sleep(50)
  }
  throw new Error(`${program} did not start:\n${readFileSync(log, 'utf8')}`)
}

/** Whether anybody accepts connections on the port. */
function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
