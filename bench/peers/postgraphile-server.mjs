import { createServer } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

/*
 * PostGraphile over the tables of the reference server, as its documentation sets it up for production. All its
 * packages but `jose` are those of this folder. Arguments: connection string of a role that row security binds, port,
 * URL of the keys.
 */

const [, , connectionString, port, keysUrl] = process.argv
const keys = createRemoteJWKSet(new URL(keysUrl))

const { createServ } = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false, websockets: false },
  grafast: {
    explain: false,
    async context({ node }) {
      const { payload } = await jwtVerify((node.req.headers.authorization ?? '').slice(7), keys)
      return { pgSettings: { 'ref.partner': payload.sub, 'ref.actor': 'client' } }
    },
  },
})
const server = createServer()
await createServ(grafserv).addTo(server)
server.listen(Number(port), '127.0.0.1')
