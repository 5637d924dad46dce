// Everything that must hold before a change lands, in the order in which it fails fastest: `npm test`, `npm run verify`.
// Stops at the first step that fails, with exit code 1. Needs no network.
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = join(root, 'node_modules', '.bin')
const upstreams = (await readdir(join(root, 'docs/upstreams'))).filter((name) => name.endsWith('.yaml')).sort()

interface Step {
  name: string
  program: string
  parameters: readonly string[]
}

const steps: readonly Step[] = [
  {
    name: 'format and lint',
    program: join(programs, 'biome'),
    // In CI it colours its output wherever that goes.
    parameters: ['ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
  },
  { name: 'types', program: join(programs, 'tsc'), parameters: ['--noEmit'] },
  { name: 'types of the console', program: join(programs, 'tsc'), parameters: ['--noEmit', '--project', 'console'] },
  { name: 'generated files', program: process.execPath, parameters: ['scripts/generate.ts', '--check'] },
  {
    name: 'OpenAPI lint',
    program: join(programs, 'redocly'),
    parameters: ['lint', 'openapi/partner-api.json', ...upstreams.map((name) => `docs/upstreams/${name}`)],
  },
  {
    name: 'OpenAPI security lint',
    program: join(programs, 'spectral'),
    parameters: ['lint', 'openapi/partner-api.json', '--ruleset=.spectral.yaml', '--fail-severity=warn', '--quiet'],
  },
  { name: 'licences', program: process.execPath, parameters: ['scripts/licences.ts'] },
  { name: 'tests', program: process.execPath, parameters: ['scripts/tests.ts'] },
  { name: 'fuzz', program: process.execPath, parameters: ['scripts/fuzz.ts'] },
]

/**
 * The linter of OpenAPI documents reports its use and looks for updates unless told not to. The same requests are made each
 * time, unless told otherwise, so that the same commit always gets the same verdict.
 */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [programs, process.env.PATH ?? ''].join(delimiter),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  SEED: process.env.SEED ?? '1',
}

/** Its exit code; 1 where it could not be started or was ended by a signal. */
function run({ program, parameters }: Step): Promise<number> {
  const child = spawn(program, parameters, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${program} cannot be started: ${error.message}. Run "npm ci" first.`)
      resolve(1)
    })
    child.on('close', (code, signal) => {
      if (signal !== null) console.error(`${program} was ended by ${signal}`)
      resolve(code ?? 1)
    })
  })
}

const begun = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

for (const [index, step] of steps.entries()) {
  const title = `[${index + 1}/${steps.length}] ${step.name}`
  console.log(`\n${title}`)
  const stepBegun = performance.now()
  const code = await run(step)
  if (code !== 0) {
    console.error(`${title}: failed after ${seconds(stepBegun)}`)
    process.exit(1)
  }
  console.log(`${title}: passed in ${seconds(stepBegun)}`)
}
console.log(`\nVerified in ${seconds(begun)}.`)
