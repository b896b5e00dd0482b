// What a page in TypeScript would write; it is compiled, with the types of the package, and not run.

import { Client, Form, Memory, MOST, Refused, Report, Response, SurveyClient, SurveyForm } from "discreet-client";

export async function answered(data: unknown, secret: Uint8Array): Promise<Uint8Array> {
  const form: Form = await Form.of(data, "00".repeat(32));
  const epsilon: number = form.epsilon;
  if (epsilon > MOST) throw new Refused(`${form.question.name}: ${epsilon}`);
  const client = new Client(form, { secret, most: 3, cohort: 0 });
  const report: Report = await client.report("daily");
  const written: { discreet: number; form: string; payload: string } = report.toJSON();
  return written.payload.length > 0 ? report.toBytes() : new Uint8Array();
}

export async function surveyed(data: unknown): Promise<string> {
  const form: SurveyForm = await SurveyForm.of(data, "00".repeat(32));
  const memory: Memory = await Memory.open("discreet", 20);
  const response: Response = await new SurveyClient(form, { memory, most: 3 }).report({ smokes: "daily", age: null });
  return (await memory.spent()) > 0 ? response.toCode() : JSON.stringify(response.toJSON().payloads);
}
