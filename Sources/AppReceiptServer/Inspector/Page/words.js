// Names for people of the kinds in documents.

export const DATA_KINDS = {
  transaction: "Signed transaction", "renewal-info": "Signed renewal information",
  "app-transaction": "Signed app transaction", notification: "Server notification",
};
