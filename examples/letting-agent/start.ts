/*
 * A letting agent's page that sells household bills: see README.md.
 *
 *   npx node examples/letting-agent/start.ts
 */
import { createServer } from 'node:http'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { handlePageRequest } from './agent-page.ts'

const {
  HOUSEBILL_URL = 'http://localhost:8080',
  HOUSEBILL_CLIENT_ID = 'sb_example',
  HOUSEBILL_CLIENT_SECRET = 'example-secret',
  PORT = '3000',
} = process.env

const client = new HousebillClient({
  baseUrl: HOUSEBILL_URL,
  clientId: HOUSEBILL_CLIENT_ID,
  clientSecret: HOUSEBILL_CLIENT_SECRET,
})

createServer((request, response) => handlePageRequest(request, response, client)).listen(
  Number(PORT),
  '127.0.0.1',
  () => console.log(`The agent's page is at http://localhost:${PORT}`),
)
