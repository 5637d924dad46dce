import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path/posix'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { runAvailabilityCheckRoute } from '../../src/broadband/availability/availability.route.ts'
import { getInstallDatesRoute } from '../../src/broadband/broadband.route.ts'
import { maxUploadBytes } from '../../src/pages/uploads.ts'
import { allPaths, readSource } from './tree.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))

test('systemd rates the unit 3 or better, of 10', (t) => {
  const unit = join(deploy, 'systemd/housebill@.service')
  const analysis = ['security', '--offline=true', '--no-pager', '--threshold=30', unit]
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', analysis, { encoding: 'utf8' })
  if (error !== undefined) return t.diagnostic('not checked: systemd-analyze is not installed')
  assert.match(stdout, /Overall exposure level/, stderr)
  assert.equal(status, 0, stdout)
})

test('nginx keeps the token of every path that has one out of its log', () => {
  const [, pattern = ''] = /"~\*(\^[^"]+)"/.exec(readSource('deploy/nginx/housebill.conf').text) ?? []
  const hidden = new RegExp(pattern, 'i')
  const { text } = readSource('src/tenant-pages/session/register-links.ts')
  const kinds = [...text.matchAll(/\/:customerId\/([\w-]+)\/:token/g)].map(([, kind]) => kind)
  assert.ok(kinds.length >= 3)
  for (const kind of kinds) {
    const [kept] = hidden.exec(`/my-bills/tenant_1/${kind}/secret`) ?? []
    assert.equal(kept, `/my-bills/tenant_1/${kind}/`)
  }
})

test('nginx shows a page instead of JSON where people read pages, also when it rejects a request itself', () => {
  const { text } = readSource('deploy/nginx/housebill.conf')
  const found = [...text.matchAll(/location ~\* (\^\S*(?:my-bills|desk)\S*) \{([^}]*)\}/g)]
  for (const [, , block = ''] of found) assert.match(block, /error_page 429 = @unavailable_page;/)
  const [, whenAway = ''] = /"~\*(\S+)" "unavailable_page"/.exec(text) ?? []
  assert.match(text, /\n {2}error_page 502 504 = @\$unavailable;/)
  const isPage = (path: string) => {
    const isFound = found.some(([, pattern = '']) => new RegExp(pattern, 'i').test(path))
    assert.equal(new RegExp(whenAway, 'i').test(path), isFound, path)
    return isFound
  }
  assert.match(text, /location @unavailable_page \{\s+default_type "text\/html/)
  const ofTenants = ['/my-bills', '/my-bills/tenant_1/home', '/contracts/tenant_1', '/previews/tenant_1/x.pdf']
  for (const path of [...ofTenants, '/privacy', '/terms/1', '/desk', '/workplace/developers'])
    assert.ok(isPage(path), path)
  for (const path of ['/partner-api/Quotes', '/my-billsx']) assert.ok(!isPage(path), path)
  const [, size] = /location [^{]*desk[^{]*\{[^}]*client_max_body_size (\d+)m;/.exec(text) ?? []
  assert.ok(Number(size) * 1_048_576 > maxUploadBytes, 'and a form with a file gets through')
})

test('nginx waits three seconds for a read, and longer only for exports, changes and what asks another system', () => {
  const { text } = readSource('deploy/nginx/housebill.conf')
  const ways = [...text.matchAll(/"~(\*?)(\^\(\?:GET\S* .*)" "(\w+)";/g)]
  const secondsFor = (request: string) => {
    const [, , , way = 'changes'] =
      ways.find(([, anyCase, pattern = '']) => new RegExp(pattern, anyCase && 'i').test(request)) ?? []
    const [, block = ''] = new RegExp(`location @${way} {([^}]*)}`).exec(text) ?? []
    assert.match(block, /proxy_pass/, way)
    return Number((/proxy_read_timeout (\d+)s/.exec(block) ?? /\n {2}proxy_read_timeout (\d+)s/.exec(text))?.[1])
  }
  const table: Record<string, number> = {
    'GET /partner-api/Quotes': 3,
    'HEAD /partner-api/Quotes/quote_1': 3,
    'GET /my-bills/tenant_1/home': 3,
    [`GET /partner-api${runAvailabilityCheckRoute.path.replace('{uid}', 'property_1')}`]: 12,
    [`GET /partner-api${getInstallDatesRoute.path.replace('{id}', 'quote_1')}`]: 12,
    'GET /desk/sign-in/callback': 12,
    'GET /operator-api/Contracts/export': 120,
    'GET /partner-api/Customers/tenant_1/export': 120,
    'POST /partner-api/Quotes': 120,
  }
  for (const [request, seconds] of Object.entries(table)) assert.equal(secondsFor(request), seconds, request)
})

interface ComposeFile {
  services: Record<
    string,
    {
      environment?: { PORT?: string }
      init?: boolean
      logging?: { options: Record<string, string> }
      secrets?: string[]
      volumes?: string[]
    }
  >
  secrets: Record<string, { file: string }>
  volumes: Record<string, null>
}

test('the Compose file mounts files that exist, and nginx sends requests to the ports of its instances', () => {
  const { services, secrets, volumes }: ComposeFile = parse(readSource('deploy/compose.yaml').text, { merge: true })
  const made = readSource('deploy/make-secrets.sh').text
  const mounted = Object.values(services).flatMap((service) => service.volumes ?? [])
  for (const [source = ''] of mounted.map((volume) => volume.split(':'))) {
    const path = join('deploy', source)
    const isMade =
      source.startsWith('./secrets/') && made.includes(`mkdir -m 0755 ${source.slice('./secrets/'.length)}\n`)
    const isThere = allPaths.some((each) => each === path || each.startsWith(`${path}/`))
    assert.ok(source in volumes || isMade || isThere, source)
  }
  const used = new Set(Object.values(services).flatMap((service) => service.secrets ?? []))
  assert.deepEqual(Object.keys(secrets).sort(), [...used].sort())
  for (const { file } of Object.values(secrets)) assert.ok(made.includes(`> ${file.replace('secrets/', '')}\n`), file)

  for (const [name, { environment, init, logging }] of Object.entries(services)) {
    assert.ok(logging?.options['max-size'] !== undefined && logging.options['max-file'] !== undefined, name)
    if (environment?.PORT !== undefined) assert.equal(init, true, 'or it could not end itself when it hangs')
  }
  const ports = Object.values(services).flatMap(({ environment }) => environment?.PORT ?? [])
  const instances = readSource('deploy/nginx/housebill/instances.conf').text.matchAll(
    /^ {2}server 127\.0\.0\.1:(\d+)/gm,
  )
  assert.deepEqual(
    ports,
    Array.from(instances, ([, port]) => port),
  )
})
