// Display names of the kinds of data.

export const DATA_KINDS = {
  transaction: "Signed transaction", "renewal-info": "Signed renewal information",
  "app-transaction": "Signed app transaction", notification: "Server notification",
};
