#if Server
/// Members of responses of Apple's endpoint, as Apple documents them.
///
/// A recorded response is a customer's data, and none with these members is available. The first pair is the example in
/// the description of the endpoint, with made-up values; the names and forms of its members were compared with a
/// recorded response. The second pair contains every documented member of an element at least once.
enum DocumentedAnswers {
    static let exampleTransactions = """
        [
          {
            "quantity": "1", "product_id": "com.example.garden.plus.yearly",
            "transaction_id": "550000000000002", "original_transaction_id": "550000000000001",
            "purchase_date": "2024-01-15 09:00:00 Etc/GMT", "purchase_date_ms": "1705309200000",
            "purchase_date_pst": "2024-01-15 01:00:00 America/Los_Angeles",
            "original_purchase_date": "2023-12-15 09:00:02 Etc/GMT",
            "original_purchase_date_ms": "1702630802000",
            "original_purchase_date_pst": "2023-12-15 01:00:02 America/Los_Angeles",
            "expires_date": "2025-01-15 09:00:00 Etc/GMT", "expires_date_ms": "1736931600000",
            "expires_date_pst": "2025-01-15 01:00:00 America/Los_Angeles",
            "web_order_line_item_id": "550000000000102", "is_trial_period": "false",
            "is_in_intro_offer_period": "false", "in_app_ownership_type": "PURCHASED",
            "subscription_group_identifier": "21000001"
          },
          {
            "quantity": "1", "product_id": "com.example.garden.plus.monthly",
            "transaction_id": "550000000000001", "original_transaction_id": "550000000000001",
            "purchase_date": "2023-12-15 09:00:00 Etc/GMT", "purchase_date_ms": "1702630800000",
            "purchase_date_pst": "2023-12-15 01:00:00 America/Los_Angeles",
            "original_purchase_date": "2023-12-15 09:00:02 Etc/GMT",
            "original_purchase_date_ms": "1702630802000",
            "original_purchase_date_pst": "2023-12-15 01:00:02 America/Los_Angeles",
            "expires_date": "2024-01-15 09:00:00 Etc/GMT", "expires_date_ms": "1705309200000",
            "expires_date_pst": "2024-01-15 01:00:00 America/Los_Angeles",
            "web_order_line_item_id": "550000000000101", "is_trial_period": "true",
            "is_in_intro_offer_period": "false", "in_app_ownership_type": "PURCHASED",
            "subscription_group_identifier": "21000001"
          }
        ]
        """

    static let exampleRenewals = """
        [
          {
            "auto_renew_product_id": "com.example.garden.plus.yearly",
            "product_id": "com.example.garden.plus.yearly", "original_transaction_id": "550000000000001",
            "auto_renew_status": "1"
          }
        ]
        """

    static let everyTransactionMember = """
        [
          {
            "quantity": "1", "product_id": "com.example.pro", "transaction_id": "20",
            "original_transaction_id": "20", "purchase_date": "2024-06-20 12:00:00 Etc/GMT",
            "purchase_date_ms": "1718884800000", "purchase_date_pst": "2024-06-20 05:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-06-20 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1718884800000",
            "original_purchase_date_pst": "2024-06-20 05:00:00 America/Los_Angeles", "is_trial_period": "false",
            "cancellation_date": "2024-06-25 12:00:00 Etc/GMT", "cancellation_date_ms": "1719316800000",
            "cancellation_date_pst": "2024-06-25 05:00:00 America/Los_Angeles", "cancellation_reason": "0",
            "in_app_ownership_type": "PURCHASED"
          },
          {
            "quantity": "1", "product_id": "com.example.plus.yearly", "transaction_id": "13",
            "original_transaction_id": "10", "purchase_date": "2024-06-01 12:00:00 Etc/GMT",
            "purchase_date_ms": "1717243200000", "purchase_date_pst": "2024-06-01 05:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-03-01 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1709294400000",
            "original_purchase_date_pst": "2024-03-01 04:00:00 America/Los_Angeles",
            "expires_date": "2024-12-20 12:00:00 Etc/GMT", "expires_date_ms": "1734696000000",
            "expires_date_pst": "2024-12-20 04:00:00 America/Los_Angeles", "web_order_line_item_id": "113",
            "is_trial_period": "false", "is_in_intro_offer_period": "false", "promotional_offer_id": "loyal",
            "in_app_ownership_type": "PURCHASED", "subscription_group_identifier": "21000001",
            "app_account_token": "6f9619ff-8b86-4011-b42d-00cf4fc964ff"
          },
          {
            "quantity": "1", "product_id": "com.example.plus.monthly", "transaction_id": "12",
            "original_transaction_id": "10", "purchase_date": "2024-05-01 12:00:00 Etc/GMT",
            "purchase_date_ms": "1714564800000", "purchase_date_pst": "2024-05-01 05:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-03-01 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1709294400000",
            "original_purchase_date_pst": "2024-03-01 04:00:00 America/Los_Angeles",
            "expires_date": "2024-06-01 12:00:00 Etc/GMT", "expires_date_ms": "1717243200000",
            "expires_date_pst": "2024-06-01 05:00:00 America/Los_Angeles", "web_order_line_item_id": "112",
            "is_trial_period": "false", "is_in_intro_offer_period": "false",
            "in_app_ownership_type": "PURCHASED", "subscription_group_identifier": "21000001",
            "is_upgraded": "true", "offer_code_ref_name": "SPRING"
          },
          {
            "quantity": "1", "product_id": "com.example.plus.monthly", "transaction_id": "11",
            "original_transaction_id": "10", "purchase_date": "2024-04-01 12:00:00 Etc/GMT",
            "purchase_date_ms": "1711972800000", "purchase_date_pst": "2024-04-01 05:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-03-01 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1709294400000",
            "original_purchase_date_pst": "2024-03-01 04:00:00 America/Los_Angeles",
            "expires_date": "2024-05-01 12:00:00 Etc/GMT", "expires_date_ms": "1714564800000",
            "expires_date_pst": "2024-05-01 05:00:00 America/Los_Angeles", "web_order_line_item_id": "111",
            "is_trial_period": "false", "is_in_intro_offer_period": "false",
            "cancellation_date": "2024-04-15 12:00:00 Etc/GMT", "cancellation_date_ms": "1713182400000",
            "cancellation_date_pst": "2024-04-15 05:00:00 America/Los_Angeles", "cancellation_reason": "1",
            "in_app_ownership_type": "PURCHASED", "subscription_group_identifier": "21000001"
          },
          {
            "quantity": "1", "product_id": "com.example.family", "transaction_id": "30",
            "original_transaction_id": "30", "purchase_date": "2024-03-15 12:00:00 Etc/GMT",
            "purchase_date_ms": "1710504000000", "purchase_date_pst": "2024-03-15 05:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-03-15 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1710504000000",
            "original_purchase_date_pst": "2024-03-15 05:00:00 America/Los_Angeles",
            "expires_date": "2024-04-15 12:00:00 Etc/GMT", "expires_date_ms": "1713182400000",
            "expires_date_pst": "2024-04-15 05:00:00 America/Los_Angeles", "web_order_line_item_id": "130",
            "is_trial_period": "false", "is_in_intro_offer_period": "false",
            "in_app_ownership_type": "FAMILY_SHARED", "subscription_group_identifier": "21000002"
          },
          {
            "quantity": "1", "product_id": "com.example.plus.monthly", "transaction_id": "10",
            "original_transaction_id": "10", "purchase_date": "2024-03-01 12:00:00 Etc/GMT",
            "purchase_date_ms": "1709294400000", "purchase_date_pst": "2024-03-01 04:00:00 America/Los_Angeles",
            "original_purchase_date": "2024-03-01 12:00:00 Etc/GMT",
            "original_purchase_date_ms": "1709294400000",
            "original_purchase_date_pst": "2024-03-01 04:00:00 America/Los_Angeles",
            "expires_date": "2024-04-01 12:00:00 Etc/GMT", "expires_date_ms": "1711972800000",
            "expires_date_pst": "2024-04-01 05:00:00 America/Los_Angeles", "web_order_line_item_id": "110",
            "is_trial_period": "false", "is_in_intro_offer_period": "true",
            "in_app_ownership_type": "PURCHASED", "subscription_group_identifier": "21000001"
          }
        ]
        """

    static let everyRenewalMember = """
        [
          {
            "auto_renew_product_id": "com.example.plus.yearly", "original_transaction_id": "10",
            "product_id": "com.example.plus.yearly", "auto_renew_status": "1", "expiration_intent": "2",
            "is_in_billing_retry_period": "1", "grace_period_expires_date": "2025-01-05 12:00:00 Etc/GMT",
            "grace_period_expires_date_ms": "1736078400000",
            "grace_period_expires_date_pst": "2025-01-05 04:00:00 America/Los_Angeles",
            "price_consent_status": "0", "price_increase_status": "0", "promotional_offer_id": "loyal"
          },
          {
            "auto_renew_product_id": "com.example.family", "original_transaction_id": "30",
            "product_id": "com.example.family", "auto_renew_status": "0", "expiration_intent": "1",
            "is_in_billing_retry_period": "0", "offer_code_ref_name": "SPRING"
          }
        ]
        """
}
#endif
