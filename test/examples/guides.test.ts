import { test } from 'node:test'
import { shareTestService } from '../support/shared-service.ts'
import { guides, runExamples } from './guide-programs.ts'

const service = await shareTestService()

for (const guide of guides)
  test(`the examples of docs/${guide}.md in TypeScript print what it says`, (t) =>
    runExamples(t, service, guide, { language: 'ts', program: process.execPath, file: 'example.ts' }))
