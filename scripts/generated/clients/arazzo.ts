import { stringify } from 'yaml'
import { type ClientSource, type DescribedOperation, generatedBy } from './described-operations.ts'
import { type JourneyStep, journeyInputs, typicalJourney } from './typical-journey.ts'

/** The content of the Arazzo document: the typical journey as a workflow, which tools can run and draw. */
export function renderArazzo({ version, operations }: ClientSource): string {
  const stepOf = new Map(
    typicalJourney.flatMap(({ operationId, saves = {} }) => Object.keys(saves).map((name) => [name, operationId])),
  )
  const resolve = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const step = stepOf.get(name)
      return step === undefined ? `$inputs.${name}` : `$steps.${step}.outputs.${name}`
    })
  const document = {
    arazzo: '1.0.1',
    info: {
      title: 'The typical use of the Housebill partner API',
      summary: 'From an address to a contract',
      description:
        'One tenant, with electricity, gas and broadband. It needs a sandbox, where a call can confirm the card.',
      version,
    },
    sourceDescriptions: [{ name: 'housebill', url: './partner-api.json', type: 'openapi' }],
    workflows: [
      {
        workflowId: 'addressToContract',
        summary: 'Take a household of one tenant from an address to a contract',
        inputs: {
          type: 'object',
          required: Object.keys(journeyInputs),
          properties: Object.fromEntries(
            Object.entries(journeyInputs).map(([name, value]) => [name, { type: 'string', default: value }]),
          ),
        },
        steps: [tokenStep, ...typicalJourney.map((step) => renderStep(step, operations, resolve))],
        outputs: { quoteId: '$steps.createQuote.outputs.quoteId', tenantId: '$steps.addTenants.outputs.tenantId' },
      },
    ],
  }
  return `# ${generatedBy}\n${stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })}`
}

const succeeds = { condition: '$statusCode == 200' }

const tokenStep = {
  stepId: 'issueToken',
  description: 'Get an access token',
  operationId: 'issueToken',
  requestBody: {
    contentType: 'application/json',
    payload: { clientId: '$inputs.clientId', clientSecret: '$inputs.clientSecret' },
  },
  successCriteria: [succeeds],
  outputs: { accessToken: '$response.body#/access_token' },
}

function renderStep(
  { operationId, ids = [], query = {}, body, saves, expects = {} }: JourneyStep,
  operations: readonly DescribedOperation[],
  resolve: (text: string) => string,
): object {
  const operation = operations.find((each) => each.operationId === operationId)
  if (operation === undefined) throw new Error(`the journey calls ${operationId}, which is no operation`)
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return {
    stepId: operationId,
    description: operation.summary,
    operationId,
    parameters: [
      { name: 'Authorization', in: 'header', value: 'Bearer {$steps.issueToken.outputs.accessToken}' },
      ...ids.map((value, index) => ({ name: names[index], in: 'path', value: resolve(value) })),
      ...Object.entries(query).map(([name, value]) => ({ name, in: 'query', value: resolve(value) })),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { contentType: 'application/json', payload: JSON.parse(resolve(JSON.stringify(body))) } }),
    successCriteria: [
      succeeds,
      ...Object.entries(expects).map(([pointer, value]) => ({ condition: `$response.body#${pointer} == '${value}'` })),
    ],
    ...(saves === undefined
      ? {}
      : {
          outputs: Object.fromEntries(
            Object.entries(saves).map(([name, pointer]) => [name, `$response.body#${pointer}`]),
          ),
        }),
  }
}
