// Checks a change. `npm run check` checks format, lint, types, imports, unused code and generated files and runs the
// pure tests. `npm test` also runs all other tests. `npm run test:full` runs everything at full size. Exits with 1 if a
// step fails. Needs no network.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = join(root, 'node_modules', '.bin')
const [size = ''] = process.argv.slice(2)

interface Step {
  name: string
  program: string
  parameters: readonly string[]
}

const node = (name: string, ...parameters: string[]): Step => ({ name, program: process.execPath, parameters })
const tool = (name: string, program: string, ...parameters: string[]): Step => ({
  name,
  program: join(programs, program),
  parameters,
})

/** These steps do not affect each other, so as many run at once as there are cores. */
const checks: readonly Step[] = [
  tool('types', 'tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'),
  tool('format and lint', 'biome', 'ci', '--colors=off', '.'),
  tool('client types', 'tsc', '--noEmit', '--project', 'clients/typescript'),
  { name: 'OpenAPI lint', program: 'npm', parameters: ['run', '--silent', 'openapi'] },
  tool('container file', 'dockerfile-utils', 'lint', 'deploy/container/Dockerfile'),
  { name: 'imports', program: 'npm', parameters: ['run', '--silent', 'imports'] },
  { name: 'unused files, exports and packages', program: 'npm', parameters: ['run', '--silent', 'unused'] },
  node('generated files', 'scripts/generate.ts', '--check'),
  { name: 'licences', program: 'npm', parameters: ['run', '--silent', 'licences'] },
]

const tests =
  size === '--check'
    ? node('pure tests', 'scripts/tests.ts', '--pure')
    : node('tests', 'scripts/tests.ts', ...(size === '--full' ? ['--full'] : []))

/** Keeps the OpenAPI linter from sending usage data and looking for updates. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [programs, process.env.PATH ?? ''].join(delimiter),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

/**
 * Runs a step and returns false if it failed. Prints the output at once if the step runs alone, otherwise only if it
 * fails.
 */
function run({ name, program, parameters }: Step, isAlone: boolean): Promise<boolean> {
  const begunAt = performance.now()
  const printed: Buffer[] = []
  const output = isAlone ? 'inherit' : 'pipe'
  const child = spawn(program, parameters, { cwd: root, env: environment, stdio: ['ignore', output, output] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk))
  return new Promise((resolve) => {
    const end = (isPassed: boolean, why = '') => {
      if (!isPassed) process.stderr.write(Buffer.concat(printed))
      const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
      console.log(`${isPassed ? '✔' : '✖'} ${name}${why}, ${seconds} s`)
      resolve(isPassed)
    }
    child.on('error', (error) => end(false, `: cannot be started (${error.message}); run "npm ci" first`))
    child.on('close', (code, signal) => end(code === 0, signal === null ? '' : `: ended by ${signal}`))
  })
}

const begunAt = performance.now()
const left = [...checks]
const results: boolean[] = []
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) results.push(await run(step, false))
  }),
)
const isGreen = results.every(Boolean) && (await run(tests, true))
console.log(`${isGreen ? 'Passed' : 'Failed'} after ${((performance.now() - begunAt) / 1_000).toFixed(0)} s.`)
process.exitCode = isGreen ? 0 : 1
