/*
 * A letting agent's application that sells household bills: see README.md.
 *
 *   npx node examples/letting-agent/start.ts
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { BillSales } from './bill-sales.ts'
import { TenancyStore } from './tenancy-store.ts'
import { handlePageRequest } from './web-pages.ts'
import { receiveWebhook, registerWebhook } from './webhook-receiver.ts'

const {
  HOUSEBILL_URL = 'http://localhost:8080',
  HOUSEBILL_CLIENT_ID = 'sb_example',
  HOUSEBILL_CLIENT_SECRET = 'example-secret',
  PORT = '3000',
  WEBHOOK_PORT = '3443',
  PUBLIC_URL = `http://localhost:${PORT}`,
  FOLDER = 'letting-agent-data',
} = process.env

mkdirSync(FOLDER, { recursive: true })
const store = new TenancyStore(join(FOLDER, 'tenancies.sqlite'))
const client = new HousebillClient({
  baseUrl: HOUSEBILL_URL,
  clientId: HOUSEBILL_CLIENT_ID,
  clientSecret: HOUSEBILL_CLIENT_SECRET,
})
const sales = new BillSales(client, store)

// Housebill sends webhooks over https only. Behind a proxy with a certificate, the first server alone is enough.
const [key, cert] = [join(FOLDER, 'key.pem'), join(FOLDER, 'cert.pem')]
const makeCertificate = `req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -keyout ${key} -out ${cert}`
if (!existsSync(cert)) execFileSync('openssl', makeCertificate.split(' '), { stdio: 'ignore' })
const webhookUrl = `https://localhost:${WEBHOOK_PORT}/webhooks`
const secret = Promise.withResolvers<string>()
createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) =>
  receiveWebhook(request, response, secret.promise, sales),
).listen(Number(WEBHOOK_PORT), '127.0.0.1', async () => {
  // The first message can arrive before the response that has the secret.
  secret.resolve(await registerWebhook(client, webhookUrl))
  await sales.refreshAll()
})

createServer((request, response) =>
  handlePageRequest(request, response, sales, { housebillUrl: HOUSEBILL_URL, publicUrl: PUBLIC_URL }),
).listen(Number(PORT), '127.0.0.1', () => console.log(`The agent's pages are at ${PUBLIC_URL}`))
