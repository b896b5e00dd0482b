// discreet-client: answers to a survey, randomized exactly before they leave the device. Integers only.

export { Client, MOST, Report } from "./client.js";
export { Refused } from "./errors.js";
export { Form, Question, TextQuestion } from "./form.js";
export { Memory } from "./memory.js";
export { Response, SurveyClient, SurveyForm } from "./survey.js";
