import { describeResult, describeStep, journeyError } from '../../journey/describe-journey.ts'
import { type JourneyOptions, runJourney } from '../../journey/run-journey.ts'
import { type Step, StepFailed } from '../../journey/steps.ts'
import { type JsonOption, printJson } from './json-option.ts'

/** `housebill journey`: prints each step as it happens or, with `json`, one object with all steps at the end. */
export async function runJourneyCommand({ json, ...options }: JourneyOptions & JsonOption): Promise<void> {
  const { baseUrl, tenants } = options
  const steps: Step[] = []
  const say = (text: string) => {
    if (!json) console.log(text)
  }
  const listener = {
    onStep(step: Step) {
      steps.push(step)
      say(describeStep(step))
    },
    onTenant: (heading: string | null) => say(heading === null ? '' : `\n${heading}`),
  }
  say(`The journey of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'} at ${baseUrl}\n`)
  try {
    const result = await runJourney(options, listener)
    if (json) printJson({ baseUrl, ...result, steps })
    else say(describeResult(result))
  } catch (error) {
    if (error instanceof StepFailed) throw journeyError(error, { baseUrl, outcome: 'failed', steps })
    throw error
  }
}
