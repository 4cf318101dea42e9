/** The input items of a request, as they are written: the thread for a model that is asked through this wire. */

export type InputItem = InputMessage | InputReasoning | InputFunctionCall | InputFunctionOutput

/** Lists are the caller's to change, because the types of the SDK want that. */
export interface InputMessage {
  readonly type: 'message'
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | InputPart[]
}
/** Goes back to the provider that had it. */
export interface InputReasoning {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: InputSummary[]
  readonly encrypted_content: string
}
export interface InputSummary {
  readonly type: 'summary_text'
  readonly text: string
}
export interface InputFunctionCall {
  readonly type: 'function_call'
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}
export interface InputFunctionOutput {
  readonly type: 'function_call_output'
  readonly call_id: string
  readonly output: string | InputPart[]
}

export type InputPart = InputText | InputImage | InputFile

export interface InputText {
  readonly type: 'input_text'
  readonly text: string
}
/** `image_url` may be a `data:` URL. */
export type InputImage = { readonly type: 'input_image'; readonly detail: 'auto' } & (
  | { readonly image_url: string }
  | { readonly file_id: string }
)
export type InputFile = { readonly type: 'input_file' } & (
  | { readonly file_id: string }
  | { readonly file_url: string }
  | { readonly filename: string; readonly file_data: string }
)
