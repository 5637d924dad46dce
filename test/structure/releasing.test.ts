import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSource } from './tree.ts'

const home = await mkdtemp(join(tmpdir(), 'housebill-release-'))
after(() => rm(home, { recursive: true, force: true }))
const project = join(home, 'project')
const build = join(project, 'build')
const signer = 'you@example.com'

/** The commands of the page's block that contains this text. */
function commandsWith(part: string): string {
  const { text } = readSource('contributing/releasing.md')
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, , commands = '']) => commands)
  const [found, ...others] = blocks.filter((commands) => commands.includes(part))
  assert.ok(found !== undefined && others.length === 0, part)
  return found
}

function run(commands: string, cwd: string) {
  const identity = {
    GIT_AUTHOR_NAME: 'You',
    GIT_COMMITTER_NAME: 'You',
    GIT_AUTHOR_EMAIL: signer,
    GIT_COMMITTER_EMAIL: signer,
  }
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...identity }
  return spawnSync('sh', ['-e', '-c', commands], { cwd, env, encoding: 'utf8' })
}

function succeed(commands: string, cwd = project): void {
  const { status, stderr } = run(commands, cwd)
  assert.equal(status, 0, `${commands}\n${stderr}`)
}

const missing = ['git', 'ssh-keygen'].filter((program) => spawnSync('which', [program]).status !== 0)

test('the commands of contributing/releasing.md sign a release, check it, and detect a changed file, list and tag', {
  skip: missing.length > 0 && `${missing.join(' and ')} not installed`,
}, async () => {
  await mkdir(join(home, '.ssh'))
  const key = join(home, '.ssh', 'housebill-release')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const publicKey = (await readFile(`${key}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ')
  await mkdir(project)
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ scripts: { package: 'echo > build/housebill-1.2.3.tgz', sbom: 'echo {}' } }),
  )
  succeed('git init -q && git add . && git commit -qm release')
  succeed(commandsWith('git tag -s'))
  succeed(commandsWith('ssh-keygen -Y sign'))

  for (const folder of [project, build]) await writeFile(join(folder, 'release-signers'), `${signer} ${publicKey}\n`)
  const [checkSignature = '', checkFiles = ''] = commandsWith('ssh-keygen -Y verify').split('\n')
  const checkTag = commandsWith('verify-tag')
  succeed(`${checkSignature}\n${checkFiles}`, build)
  succeed(checkTag)

  await appendFile(join(build, 'housebill-1.2.3.tar'), 'changed')
  assert.notEqual(run(checkFiles, build).status, 0)
  succeed('sha256sum *.tar *.tgz *.json > SHA256SUMS', build)
  assert.notEqual(run(checkSignature, build).status, 0)
  succeed('git tag -f -a v1.2.3 -m unsigned')
  assert.notEqual(run(checkTag, project).status, 0)
})
