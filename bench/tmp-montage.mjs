import { chromium } from 'playwright-core'
import { readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs'
const dir='/tmp/wt/shots'
const exe = readdirSync('/tmp').filter(f=>f.startsWith('housebill-chromium')).map(f=>`/tmp/${f}/chromium`).find(existsSync)
const b = await chromium.launch({ executablePath: exe, args: ['--no-sandbox','--disable-gpu','--disable-dev-shm-usage'] })
const sets = process.argv.slice(2)
for (const [i, set] of sets.entries()) {
  const files = readdirSync(dir).filter(f=>set.split(',').some(p=>f.startsWith(p)))
  const page = await b.newPage({ viewport: { width: files.length*400, height: 1250 } })
  await page.setContent(`<body style="margin:0;display:flex;gap:8px;background:#888">${files.map(f=>`<img style="width:390px;height:auto;align-self:start" src="data:image/png;base64,${readFileSync(dir+'/'+f).toString('base64')}">`).join('')}</body>`)
  await page.screenshot({ path: `/tmp/wt/montage-${i}.png` })
}
await b.close()
