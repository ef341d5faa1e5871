// The desk of a running broker, at the other end of its socket. The key that answers is read when somebody answers, and not before.
import * as z from "zod";
import type { ApprovalDoor } from "../contracts/approval-door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { DoorClient } from "./door-client.ts";
import { readApproveKey, readDoorKeys } from "./door-files.ts";
import { givenAnswerSchema, questionSchema, questionsSchema } from "./question-schemas.ts";

/** The broker has written them before it listened, and takes them away with itself. */
async function keyOf(found: Promise<string | undefined>): Promise<string> {
  const key = await found;
  if (key === undefined) throw new GloveboxError("BROKER_UNAVAILABLE", "door.lost");
  return key;
}

/** @param directory where the broker's keys lie */
export function approvalClient(client: DoorClient, directory: string): ApprovalDoor {
  const openKey = (): Promise<string> => keyOf(readDoorKeys(directory).then((keys) => keys?.open));
  const approveKey = (): Promise<string> => keyOf(readApproveKey(directory));
  return {
    ask: async (question, signal) => client.answerTo({ ask: "put", key: await openKey(), question }, givenAnswerSchema(), signal),
    list: async ({ after, signal }) => {
      const since = after === undefined ? {} : { after };
      return client.answerTo({ ask: "questions", key: await approveKey(), ...since }, questionsSchema(), signal);
    },
    show: async (approval) => client.answerTo({ ask: "question", key: await approveKey(), approval }, questionSchema()),
    answer: async (approval, answer) => {
      await client.answerTo({ ask: "answer", key: await approveKey(), approval, answer }, z.null());
    },
  };
}
