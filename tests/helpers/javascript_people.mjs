// Many people's responses by the client for browsers: node javascript_people.mjs INDEX SURVEY ANSWERS OUT
// ANSWERS has one line of JSON a person, and OUT gets their responses, one after the other.
import { readFileSync, writeFileSync } from "node:fs";

const [index, survey, answers, out] = process.argv.slice(2);
const { SurveyClient, SurveyForm } = await import(index);
const client = new SurveyClient(await SurveyForm.of(JSON.parse(readFileSync(survey, "utf8"))));
const responses = [];
for (const line of readFileSync(answers, "utf8").trim().split("\n")) {
  responses.push((await client.report(JSON.parse(line))).toBytes());
}
writeFileSync(out, Buffer.concat(responses));
