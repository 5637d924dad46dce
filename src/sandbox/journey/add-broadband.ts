import type { Static } from 'typebox'
import { pounds } from './pounds.ts'
import { AvailabilityReply, AvailabilityRequestReply, BroadbandAddedReply, InstallDatesReply } from './replies.ts'
import type { StepRunner } from './step-runner.ts'

/**
 * Checks which broadband the property can have, adds the first line offered and reads the installation dates. If no
 * line is offered, the journey continues without broadband.
 */
export async function addBroadband(runner: StepRunner, quoteId: string, addressUid: string): Promise<void> {
  const { uid } = await runner
    .step({
      name: 'Create a broadband availability request',
      reply: AvailabilityRequestReply,
      brief: ({ uid: made, status }) => `${made}, ${status}`,
    })
    .requestBroadbandAvailability({ addressUid })
  const { products } = await runner
    .step({
      name: 'Check broadband',
      reply: AvailabilityReply,
      stop: ({ homeTelecomError, homeTelecomErrors }) =>
        homeTelecomError
          ? {
              reason: `The home telecom provider failed: ${homeTelecomErrors.join(' ')}`,
              remedy: 'Check HOME_TELECOM_URL and the provider, or leave broadband out with --no-broadband',
            }
          : undefined,
      brief: describeAvailability,
    })
    .runBroadbandAvailabilityCheck(uid)
  const line = products.find(({ kind }) => kind === 'line')
  if (line === undefined) return
  await runner
    .step({
      name: 'Add a broadband product',
      reply: BroadbandAddedReply,
      check: ({ broadbandProducts }) =>
        broadbandProducts.some(({ productId }) => productId === line.productId)
          ? []
          : [`broadbandProducts does not contain ${line.productId}`],
      brief: () => `${line.name}, ${pounds(line.price)} a month, ${pounds(line.setupPrice)} set-up`,
    })
    .addBroadbandProducts(quoteId, { broadbandProducts: [line.productId] })
  await runner
    .step({
      name: 'Get the installation dates',
      reply: InstallDatesReply,
      check: ({ availableDates, earliestDate }) => {
        const [earliest] = availableDates.toSorted()
        return earliest === earliestDate
          ? []
          : [`earliestDate is ${earliestDate}, but the first available day is ${earliest}`]
      },
      brief: ({ availableDates, earliestDate }) => `${availableDates.length} days, the earliest ${earliestDate}`,
    })
    .getBroadbandInstallDates(quoteId)
}

function describeAvailability(response: Static<typeof AvailabilityReply>): string {
  const { available, maxSpeed, products, broadbandDatabaseError, broadbandDatabaseErrors } = response
  const found = available
    ? `up to ${maxSpeed} Mbps, ${products.length} products`
    : 'no broadband at this address; continuing without it'
  return broadbandDatabaseError ? `${found} (broadband database failed: ${broadbandDatabaseErrors.join(' ')})` : found
}
