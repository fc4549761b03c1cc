// A page of orders asks for the customer of each order by itself. Planted: OrderService.LoadCustomer.
using System.Collections.Generic;
using System.Text;
using Data;

namespace Shop
{
    class Customer
    {
        public int Id;
        public string Name;
    }

    class Order
    {
        public int Id, CustomerId;
        public decimal Total;
    }

    class OrderService
    {
        readonly Connection connection;

        public OrderService(Connection connection)
        {
            this.connection = connection;
        }

        public List<Order> LoadOrders(int count)
        {
            List<Order> orders = new List<Order>();
            foreach (int key in connection.Query("orders", 1000, count))
                orders.Add(ReadOrder(key));
            return orders;
        }

        static Order ReadOrder(int key)
        {
            return new Order { Id = key, CustomerId = key % 97, Total = key * 1.25m };
        }

        public Customer LoadCustomer(int id)
        {
            int[] keys = connection.Query("customers", id, 1);
            return new Customer { Id = keys[0], Name = "Customer " + keys[0] };
        }
    }

    class OrderPage
    {
        readonly OrderService service;
        readonly StringBuilder html = new StringBuilder();

        public OrderPage(OrderService service)
        {
            this.service = service;
        }

        public string Render(int count)
        {
            WriteHeader();
            foreach (Order order in service.LoadOrders(count))
                WriteRow(order, service.LoadCustomer(order.CustomerId));
            return html.ToString();
        }

        void WriteHeader()
        {
            html.Append("<table><tr><th>Order<th>Customer<th>Total\n");
        }

        void WriteRow(Order order, Customer customer)
        {
            html.Append("<tr><td>").Append(order.Id).Append("<td>").Append(Escape(customer.Name));
            html.Append("<td>").Append(FormatPrice(order.Total)).Append('\n');
        }

        static string Escape(string text)
        {
            return text.Replace("&", "&amp;").Replace("<", "&lt;");
        }

        static string FormatPrice(decimal price)
        {
            return price.ToString("0.00", System.Globalization.CultureInfo.InvariantCulture);
        }
    }

    static class Program
    {
        static void Main()
        {
            Connection connection = new Connection();
            string html = new OrderPage(new OrderService(connection)).Render(500);
            System.Console.WriteLine(html.Length + " characters, " + connection.Questions + " questions");
        }
    }
}
